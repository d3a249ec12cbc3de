const PATHS = {
  play: "M5 3.5v9l7.5-4.5z",
  pause: "M5.5 3.5v9M10.5 3.5v9",
  stop: "M4.5 4.5h7v7h-7z",
  first: "M4 3.5v9M12 3.5 6.5 8l5.5 4.5z",
  last: "M12 3.5v9M4 3.5 9.5 8 4 12.5z",
  back: "M10.5 3.5 5 8l5.5 4.5z",
  forward: "M5.5 3.5 11 8l-5.5 4.5z",
  fork: "M5 3.5v9M5 8c0-2.5 6-1 6-4.5M3.6 3.5a1.4 1.4 0 1 0 2.8 0 1.4 1.4 0 1 0-2.8 0M9.6 3a1.4 1.4 0 1 0 2.8 0 1.4 1.4 0 1 0-2.8 0M3.6 12.8a1.4 1.4 0 1 0 2.8 0 1.4 1.4 0 1 0-2.8 0",
  clock: "M8 2.2a5.8 5.8 0 1 0 0 11.6A5.8 5.8 0 0 0 8 2.2zM8 5v3.2l2.2 1.4",
  check: "M3.5 8.5 6.5 11.5 12.5 4.8",
  cross: "M4 4l8 8M12 4l-8 8",
  warn: "M8 2.4 14.3 13.2H1.7zM8 6.4v3.2M8 11.5v.1",
  hand: "M5.2 8.2V4.4a1 1 0 0 1 2 0V3.2a1 1 0 0 1 2 0v1.2a1 1 0 0 1 2 0v4.4c0 2.9-1.5 4.7-3.9 4.7-2 0-3-1-3.9-2.9L2.6 8.4c-.4-1 .8-1.6 1.4-.8z",
  question:
    "M8 2.2a5.8 5.8 0 1 0 0 11.6A5.8 5.8 0 0 0 8 2.2zM6.3 6.3c.1-2.2 3.5-2.1 3.4-.1 0 1.3-1.7 1.4-1.7 2.6M8 11v.1",
  sun: "M8 5.2a2.8 2.8 0 1 0 0 5.6 2.8 2.8 0 0 0 0-5.6zM8 1.5v1.4M8 13.1v1.4M1.5 8h1.4M13.1 8h1.4M3.4 3.4l1 1M11.6 11.6l1 1M3.4 12.6l1-1M11.6 4.4l1-1",
  moon: "M13 9.6A5.6 5.6 0 0 1 6.4 3 5.6 5.6 0 1 0 13 9.6z",
  system: "M2.5 3.5h11v7h-11zM6 13h4M8 10.5V13",
  fit: "M2.5 6V2.5H6M10 2.5h3.5V6M13.5 10v3.5H10M6 13.5H2.5V10",
  plus: "M8 3.5v9M3.5 8h9",
  minus: "M3.5 8h9",
  target: "M8 3.4a4.6 4.6 0 1 0 0 9.2 4.6 4.6 0 0 0 0-9.2zM8 1.5v3M8 11.5v3M1.5 8h3M11.5 8h3",
  outline: "M3 3.5h10M5.5 8H13M8 12.5h5M3 8v0M3 12.5v0",
  chart: "M2.5 3h4v3h-4zM9.5 10h4v3h-4zM4.5 6v5.5h5",
  map: "M1.8 5.5h4v5h-4zM10.2 2.5h4v4h-4zM10.2 9.5h4v4h-4zM5.8 8h2.2M10.2 4.5H8v7h2.2",
  detail: "M2.5 3h11v10h-11zM5 6h6M5 8.2h6M5 10.4h3.5",
  compact: "M3.5 2.5h9M3.5 13.5h9M8 4v3.2M6.2 5.6 8 7.4l1.8-1.8M8 12V8.8M6.2 10.4 8 8.6l1.8 1.8",
  count: "M3 12.5V9M6.3 12.5v-6M9.7 12.5V8M13 12.5v-9",
  file: "M4 1.8h5l3 3v9.4H4zM9 1.8v3h3",
  down: "M8 2.5v8M4.5 7.5 8 11l3.5-3.5M3 13.5h10",
  message: "M2.5 3.5h11v7.2H7L4 13.2v-2.5H2.5z",
  search: "M7 2.8a4.2 4.2 0 1 0 0 8.4 4.2 4.2 0 0 0 0-8.4zM10.2 10.2l3.3 3.3",
  tool: "M9.8 2.6a3.3 3.3 0 0 0-3.6 4.7L2.4 11a1.6 1.6 0 0 0 2.4 2.4l3.8-3.7a3.3 3.3 0 0 0 4.7-3.6l-2 1.9-2-.5-.5-2z",
  model: "M8 1.8 9.6 6.4 14.2 8 9.6 9.6 8 14.2 6.4 9.6 1.8 8 6.4 6.4z",
  user: "M8 2.6a2.7 2.7 0 1 0 0 5.4 2.7 2.7 0 0 0 0-5.4zM2.8 13.4c.5-2.8 2.5-4 5.2-4s4.7 1.2 5.2 4",
  link: "M6.5 9.5l3-3M7 4.6l1.3-1.3a2.8 2.8 0 0 1 4 4L11 8.6M9 11.4l-1.3 1.3a2.8 2.8 0 0 1-4-4L5 7.4",
  compare: "M2.5 3h4.5v10H2.5zM9 3h4.5v10H9z",
  more: "M3.2 8h.1M8 8h.1M12.7 8h.1",
  right: "M6 3.5 10.5 8 6 12.5",
  hourglass: "M4.5 2.2h7M4.5 13.8h7M5 2.2c0 3.4 6 4.4 6 8.2v3.4M11 2.2c0 3.4-6 4.4-6 8.2v3.4",
} as const;

/** The name of an icon. */
export type IconName = keyof typeof PATHS;

/** The path of an icon in a square of 16 px. */
export const iconPath = (name: IconName): string => PATHS[name];

/** A decorative icon, hidden from screen readers. */
export function Icon({ name }: { readonly name: IconName }) {
  return (
    <svg className="icon" viewBox="0 0 16 16" aria-hidden="true">
      <path d={PATHS[name]} />
    </svg>
  );
}

/** The logo: a state inside a state. */
export function Logo() {
  return (
    <svg viewBox="0 0 24 24" aria-hidden="true" fill="none">
      <path
        d="M12 1.8 20.8 6.9v10.2L12 22.2 3.2 17.1V6.9z"
        stroke="var(--accent)"
        strokeWidth="1.6"
        strokeLinejoin="round"
      />
      <path d="M12 7.2 16.2 9.6v4.8L12 16.8 7.8 14.4V9.6z" fill="var(--violet)" />
      <path d="M12 1.8v5.4M20.8 17.1l-4.6-2.7M3.2 17.1l4.6-2.7" stroke="var(--accent)" strokeWidth="1.6" />
    </svg>
  );
}
