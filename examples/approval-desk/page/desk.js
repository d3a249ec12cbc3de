import { ask, eventsOf } from "./api.js";

const $ = (id) => document.getElementById(id);
const WORDS = {
  stopped: "answered",
  running: "working",
  unfinished: "working",
  suspended: "waits for you",
  quarantined: "quarantined",
};

/** Creates an element; its text is never parsed as HTML. */
function element(name, text = "", data = {}) {
  const made = document.createElement(name);
  made.textContent = text;
  Object.assign(made.dataset, data);
  return made;
}

let open;

function say(text) {
  $("state").textContent = text;
}

function guarded(work) {
  return async (event) => {
    event?.preventDefault();
    try {
      await work(event);
      say("");
    } catch (error) {
      say(error.message);
    }
  };
}

const showCases = guarded(async () => {
  const { sessions } = await ask("/v1/sessions?limit=100");
  const newest = sessions.toSorted((one, other) => other.updatedAt - one.updatedAt);
  $("cases").replaceChildren(
    ...newest.map(({ id, phase, meta }) => {
      const button = element("button");
      button.append(
        element("span", meta.title ?? id),
        Object.assign(element("span", WORDS[phase], { phase }), { className: "phase" }),
      );
      button.setAttribute("aria-current", String(open?.id === id));
      button.addEventListener("click", () => void openCase(id));
      const item = element("li");
      item.append(button);
      return item;
    }),
  );
});

function summaryOf(block) {
  if (block.type === "text") return block.text;
  if (block.type === "tool_use") return `→ ${block.name} ${JSON.stringify(block.input)}`;
  if (block.type === "tool_result")
    return `← ${block.name}, ${block.state}: ${block.output.map(summaryOf).join(" ")}`;
  return `[${block.type}]`;
}

function approvalOf(id, call) {
  const card = Object.assign(element("div"), { className: "approval" });
  const decide = (decision) =>
    guarded(async () => {
      for (const button of card.querySelectorAll("button")) button.disabled = true;
      const body = { callId: call.callId, argsHash: call.argsHash, decision };
      await ask(`/v1/sessions/${encodeURIComponent(id)}/decisions`, { method: "POST", body });
    });
  const approve = Object.assign(element("button", "Approve"), { id: "approve" });
  approve.addEventListener("click", decide("approve"));
  const deny = Object.assign(element("button", "Deny"), { id: "deny" });
  deny.addEventListener("click", decide({ deny: "A colleague decided against it." }));
  const { orderId, cents, reason } = call.input;
  card.append(
    element("p", `${call.name}: €${(cents / 100).toFixed(2)} for order ${orderId}`),
    element("p", `“${reason}”`),
    approve,
    deny,
  );
  return card;
}

async function showCase(id) {
  const path = `/v1/sessions/${encodeURIComponent(id)}`;
  const [session, { messages }] = await Promise.all([ask(path), ask(`${path}/messages?limit=1000`)]);
  if (open?.id !== id) return;
  $("title").textContent = `Case ${id}: ${WORDS[session.phase]}`;
  $("messages").replaceChildren(
    ...messages.map(({ role, content }) => element("li", content.map(summaryOf).join("\n"), { role })),
  );
  $("pending").replaceChildren(
    ...session.pending.filter(({ decided }) => !decided).map((call) => approvalOf(id, call)),
  );
  $("reply").hidden = session.phase !== "stopped";
}

/** Shows a case, and updates it on every event. */
async function openCase(id) {
  open?.watching.abort();
  open = { id, watching: new AbortController() };
  const { signal } = open.watching;
  await guarded(() => showCase(id))();
  void showCases();
  for await (const event of eventsOf(id, signal)) {
    if (event.type === "block.delta") continue;
    await guarded(() => showCase(id))();
    void showCases();
  }
}

$("new-case").addEventListener(
  "submit",
  guarded(async () => {
    const input = $("question").value.trim();
    const body = { agent: "desk", input, meta: { title: input.slice(0, 40) } };
    const headers = { "Idempotency-Key": crypto.randomUUID() };
    const { id } = await ask("/v1/sessions", { method: "POST", body, headers });
    void openCase(id);
  }),
);

$("reply").addEventListener(
  "submit",
  guarded(async () => {
    const input = $("answer").value.trim();
    const headers = { "Idempotency-Key": crypto.randomUUID() };
    const path = `/v1/sessions/${encodeURIComponent(open.id)}/messages`;
    await ask(path, { method: "POST", body: { input }, headers });
    $("answer").value = "";
  }),
);

void showCases();
setInterval(() => void showCases(), 2000);
