import { loopback } from "./loopback.ts";
import { median } from "./cpu.ts";
const r = await loopback("small", { samples: 45, warmUp: 1 });
for (let k = 0; k < 45; k += 9) {
  const a = r.agent.slice(k, k + 9),
    b = r.bare.slice(k, k + 9);
  console.log(
    k,
    "agent",
    median(a).toFixed(0),
    Math.min(...a).toFixed(0),
    "bare",
    median(b).toFixed(0),
    Math.min(...b).toFixed(0),
    "ratio",
    median(a.map((x, i) => x / b[i]!)).toFixed(2),
  );
}
