const BEACON = "http://127.0.0.1:9/beacon";

/** A string that tries to run scripts, to make requests and to hide text. */
export const HOSTILE = [
  `<img src=x onerror="globalThis.__ran=1"><script>globalThis.__ran=2</script>`,
  `![picture](${BEACON}?image) [![in](${BEACON}?in)](javascript:globalThis.__ran=3)`,
  `[click](javascript:globalThis.__ran=4) [data](data:text/html,<script>1</script>) <${BEACON}?auto>`,
  `<iframe src="${BEACON}?frame"></iframe><style>@import "${BEACON}?css"</style><svg onload="globalThis.__ran=5">`,
  `"'\`;}{ right\u202Eto left\u2066 hid\u200Bden\u{E0041} \u0007 \u001B[31mred\u001B[0m \uD800`,
].join(" ");

type Line = { readonly [key: string]: unknown } | string;
export type Lines = readonly Line[];

export type HostileOptions = {
  /** Overrides fields of the row, and of each step. */
  readonly row?: object;
  readonly step?: (stepNumber: number) => object;
  /** Additional fields of the context. */
  readonly context?: object;
  /** Number of the first step; 1 by default. */
  readonly begin?: number;
  readonly name?: string;
  /** States of the chart except the root. */
  readonly nodes?: readonly object[];
  /** Id of the active state. */
  readonly state?: string;
};

const named = (name: string): object => ({ name, params: { __proto__x: name, text: name } });
const ODD_KEYS = `{"__proto__":{"polluted":true},"constructor":{"prototype":{"polluted":true}},"toString":1}`;

/** Returns the lines of an exported run with five steps in which every string is hostile. */
export function hostileLines(options: HostileOptions = {}): Lines {
  const { row, step = () => ({}), context = {}, begin = 1, name = HOSTILE } = options;
  const id = `m.${HOSTILE}`;
  const state = {
    id,
    key: HOSTILE,
    parent: "m",
    type: "atomic",
    description: HOSTILE,
    tags: [HOSTILE],
    entry: [named(HOSTILE)],
    exit: [named(HOSTILE)],
    invoke: [HOSTILE],
  };
  const root = { ...state, id: "m", key: "m", parent: undefined, type: "compound" };
  const edge = {
    id: `${id}|${HOSTILE}|0`,
    source: id,
    targets: [id],
    kind: "event",
    event: HOSTILE,
    guard: named(HOSTILE),
    actions: [named(HOSTILE)],
    reenter: true,
  };
  const { nodes = [state] } = options;
  const edges = options.nodes ? [] : [edge];
  const odd = JSON.parse(ODD_KEYS) as object;
  const call = {
    type: "tool_use",
    id: HOSTILE,
    name: HOSTILE,
    input: { ...odd, [HOSTILE]: HOSTILE },
    rawInput: HOSTILE,
  };
  const result = {
    type: "tool_result",
    id: HOSTILE,
    name: HOSTILE,
    state: "error",
    code: HOSTILE,
    output: [
      { type: "text", text: HOSTILE },
      { type: "image", source: { type: "url", url: `${BEACON}?source` } },
    ],
  };
  const message = (role: string, content: readonly object[]): object => ({
    id: `${role} ${HOSTILE}`,
    role,
    name: HOSTILE,
    content,
    metadata: odd,
    timestamp: -1,
    reason: HOSTILE,
    usage: { inputTokens: -5, outputTokens: 1e300 },
  });
  const record = { call, status: "running", attempt: 1, since: -1e300, asks: HOSTILE };
  const request = {
    id: HOSTILE,
    number: 1,
    turn: 1,
    iteration: 0,
    attempt: 2,
    length: 2,
    step: begin + 2,
    phase: "reasoning",
    model: HOSTILE,
    provider: HOSTILE,
    wire: { adapter: HOSTILE, options: odd },
    view: { from: 1, head: [], clearedTo: 0 },
    results: { maxTokens: null, tools: {}, exclude: [], keepMedia: null },
    system: HOSTILE,
    options: { ...odd, stop: [HOSTILE] },
    tools: [{ name: HOSTILE, description: HOSTILE, inputSchema: odd }],
    edits: [{ hook: HOSTILE, system: `${HOSTILE} too`, options: odd, tools: [HOSTILE] }],
    entered: [],
  };
  const patches = [
    [["=", [], { ...odd, ...context, messages: [], [HOSTILE]: HOSTILE }]],
    [["+", ["messages"], [message("user", [{ type: "text", text: HOSTILE }])]]],
    [
      [
        "+",
        ["messages"],
        [
          message("assistant", [
            { type: "thinking", thinking: HOSTILE },
            { type: "text", text: HOSTILE },
            call,
          ]),
        ],
      ],
    ],
    [
      ["=", ["calls"], [record, {}, null, 5]],
      ["=", ["modelCall"], request],
      ["=", ["failure"], { code: HOSTILE, message: HOSTILE }],
    ],
    [
      ["+", ["messages"], [message("tool", [result]), message(HOSTILE, [{ type: HOSTILE }, null as never])]],
      ["=", ["__proto__"], { polluted: true }],
      ["=", ["constructor", "prototype"], { polluted: true }],
    ],
  ];
  return [
    {
      agentchartRun: 1,
      exportedAt: "never",
      row: {
        runId: `run ${HOSTILE}`,
        agent: name,
        chart: HOSTILE,
        phase: HOSTILE,
        state: HOSTILE,
        reason: HOSTILE,
        notice: HOSTILE,
        waitsFor: { length: 5 },
        worker: { id: HOSTILE, pid: HOSTILE, isUp: false, since: HOSTILE },
        forkOf: { runId: HOSTILE, seq: "x" },
        usage: { inputTokens: HOSTILE },
        can: ["interrupt", "decide"],
        ...row,
      },
    },
    { chart: { id: HOSTILE, nodes: [root, ...nodes], edges }, layouts: null, hash: `hash ${HOSTILE}` },
    { state: ["m", options.state ?? id] },
    ...patches.map((patch, at) => ({
      q: begin + at,
      t: at,
      m: at,
      e: HOSTILE,
      v: { ...odd, text: HOSTILE },
      x: options.nodes ? [] : [edge.id],
      s: 0,
      k: [HOSTILE],
      p: patch,
      ...step(at + 1),
    })),
    { blob: HOSTILE, text: HOSTILE },
  ];
}

/** The tabs of a step; the one that is open by default comes last. */
export const TABS = ["context", "diff", "event", "tokens", "raw", "prompt", "conversation"];

/** Returns a state of a chart in the format of an exported run. */
export function stateOf<State extends object>(state: State) {
  const none = { tags: [], entry: [], exit: [], invoke: [] };
  return { key: "k", parent: "m", type: "atomic", ...none, ...state };
}
