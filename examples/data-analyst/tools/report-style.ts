/** The style sheet of a report: readable on a phone, on paper and in the dark. */
export const REPORT_STYLE = `
:root { color-scheme: light dark; --ink: #1c1f26; --soft: #5b6472; --line: #dde1e8; --back: #fff; --tint: #f5f7fa; }
@media (prefers-color-scheme: dark) { :root { --ink: #e8eaf0; --soft: #9aa4b5; --line: #333a47; --back: #14171d; --tint: #1c2129; } }
* { box-sizing: border-box; }
body { margin: 0; background: var(--back); color: var(--ink); font: 16px/1.55 system-ui, "Segoe UI", "Noto Sans", "Noto Sans CJK SC", "PingFang SC", "Microsoft YaHei", sans-serif; }
main, footer { max-width: 860px; margin: 0 auto; padding: 0 20px; }
h1 { font-size: 1.7rem; line-height: 1.25; margin: 40px 0 8px; }
h2 { font-size: 1.15rem; margin: 36px 0 8px; padding-top: 12px; border-top: 1px solid var(--line); }
figure { margin: 16px 0 8px; border: 1px solid var(--line); border-radius: 8px; overflow: hidden; background: #fff; }
figure svg { display: block; width: 100%; height: auto; }
.table { overflow-x: auto; }
table { border-collapse: collapse; width: 100%; margin: 12px 0; font-variant-numeric: tabular-nums; }
th, td { text-align: left; padding: 6px 12px 6px 0; border-bottom: 1px solid var(--line); white-space: nowrap; }
.number { text-align: right; }
details { color: var(--soft); font-size: .85rem; margin: 4px 0 12px; }
pre { background: var(--tint); border-radius: 6px; padding: 10px 12px; overflow-x: auto; white-space: pre-wrap; }
footer { color: var(--soft); font-size: .85rem; margin: 48px auto 40px; padding-top: 12px; border-top: 1px solid var(--line); }
@media print { details { display: block; } section { break-inside: avoid; } }
`;
