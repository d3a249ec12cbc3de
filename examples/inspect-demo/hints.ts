/** The hints that lead to the cause of the bug in the demo, one after the other. */
export const HINTS = [
  'Open the run "refund-desk": it could not pay 31 euros back. In the map, `refund` has failed: click it to see with which amount.',
  "Nobody paid 3100 euros. Follow the amount back along the map: a diamond on the edge from the tools to the prompt is a hook.",
  "Click it: the step and the call that it changed are shown. The tool said 31, the model read 3100.",
] as const;
