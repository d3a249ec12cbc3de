const PATHS = {
  back: "M15 5l-7 7 7 7",
  plus: "M12 5v14M5 12h14",
  send: "M12 19V5M5 12l7-7 7 7",
  stop: "M7 7h10v10H7z",
  done: "M5 13l4 4L19 7",
  failed: "M6 6l12 12M18 6L6 18",
  wait: "M12 7v5l3 3M21 12a9 9 0 1 1-18 0 9 9 0 0 1 18 0z",
  open: "M9 6l6 6-6 6",
  down: "M12 5v14M5 12l7 7 7-7",
} as const;

/** A drawing beside words that say the same. */
export function Icon({ name }: { readonly name: keyof typeof PATHS }) {
  return (
    <svg className={`icon icon-${name}`} viewBox="0 0 24 24" aria-hidden="true">
      <path d={PATHS[name]} />
    </svg>
  );
}
