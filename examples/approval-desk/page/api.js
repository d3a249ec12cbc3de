const KEY = "desk-token";

/** The token of the link: the fragment is never sent to a server, and is removed from the address bar at once. */
function readToken() {
  const given = new URLSearchParams(location.hash.slice(1)).get("token");
  if (given) {
    sessionStorage.setItem(KEY, given);
    history.replaceState(null, "", location.pathname);
  }
  return sessionStorage.getItem(KEY) ?? "";
}

const token = readToken();

async function request(path, { method = "GET", body, headers = {}, signal } = {}) {
  const response = await fetch(path, {
    method,
    signal,
    headers: {
      Authorization: `Bearer ${token}`,
      ...(body && { "Content-Type": "application/json" }),
      ...headers,
    },
    ...(body && { body: JSON.stringify(body) }),
  });
  if (response.ok) return response;
  const problem = await response.json().catch(() => ({ detail: response.statusText }));
  throw new Error(problem.detail);
}

/** Sends a request and returns the JSON of the answer. Throws an Error whose message says what went wrong. */
export async function ask(path, options) {
  const response = await request(path, options);
  return response.json();
}

/** The events of a session, without end: after a lost connection it continues behind the last event received. */
export async function* eventsOf(id, signal) {
  let last;
  while (!signal.aborted) {
    try {
      const headers = last === undefined ? {} : { "Last-Event-ID": last };
      const response = await request(`/v1/sessions/${encodeURIComponent(id)}/events`, { headers, signal });
      for await (const frame of framesOf(response.body)) {
        if (frame.data) yield JSON.parse(frame.data);
        last = frame.id ?? last;
      }
    } catch (error) {
      if (signal.aborted) return;
      console.warn(error);
    }
    await new Promise((resolve) => setTimeout(resolve, 1000));
  }
}

async function* framesOf(body) {
  let text = "";
  for await (const piece of body.pipeThrough(new TextDecoderStream())) {
    text += piece;
    const frames = text.split("\n\n");
    text = frames.pop();
    for (const frame of frames) {
      const lines = frame.split("\n");
      const field = (name) => lines.find((line) => line.startsWith(`${name}: `))?.slice(name.length + 2);
      yield { id: field("id"), data: field("data") };
    }
  }
}
