import { ANY_SUSPICION, type RunFilter } from "../wire/types.ts";
import { NO_FILTER, type Chip, type ListFilter } from "./run-filter.ts";

/** The filters that one click sets, each with what it changes and what the server is asked for. */
export const QUICK_FILTERS = [
  { name: "failed", change: { outcome: "failed" }, query: { outcome: "failed" } },
  { name: "waiting", change: { outcome: "waiting" }, query: { outcome: "waiting" } },
  { name: "suspicious", change: { suspicion: ANY_SUSPICION }, query: { suspicion: ANY_SUSPICION } },
] as const satisfies readonly {
  readonly name: string;
  readonly change: Partial<ListFilter>;
  readonly query: RunFilter;
}[];

/** The name of one of {@link QUICK_FILTERS}. */
export type QuickName = (typeof QUICK_FILTERS)[number]["name"];

/** True if a filter is set. */
export function isSet(filter: ListFilter, change: Partial<ListFilter>): boolean {
  return Object.entries(change).every(([key, value]) => filter[key as keyof ListFilter] === value);
}

/** Returns the change that removes a filter that is set, and sets one that is not. */
export function toggled(filter: ListFilter, change: Partial<ListFilter>): Partial<ListFilter> {
  if (!isSet(filter, change)) return change;
  return Object.fromEntries(Object.keys(change).map((key) => [key, NO_FILTER[key as keyof ListFilter]]));
}

/** Returns the chips of a filter without those of the quick filters that are set. */
export function withoutQuick(chips: readonly Chip[], filter: ListFilter): readonly Chip[] {
  const set = QUICK_FILTERS.filter(({ change }) => isSet(filter, change));
  return chips.filter(({ key }) => !set.some(({ change }) => Object.hasOwn(change, key)));
}

/** A filter of the list with a name, which a person has saved in this browser. */
export type SavedView = { readonly name: string; readonly search: string; readonly filter: ListFilter };

/** The greatest number of views that are stored, and of characters in their names. */
const [MAX_VIEWS, MAX_NAME] = [20, 40];

/** The views with one more, which replaces that of the same name; without a name they stay. */
export function withView(views: readonly SavedView[], view: SavedView): readonly SavedView[] {
  const name = view.name.trim().slice(0, MAX_NAME);
  if (name === "") return views;
  return [...views.filter((each) => each.name !== name), { ...view, name }].slice(-MAX_VIEWS);
}

/** The views that a browser has stored: those that can be read, with fields of a later release filled in. */
export function readViews(value: unknown): readonly SavedView[] {
  if (!Array.isArray(value)) return [];
  return value.flatMap((each: unknown): readonly SavedView[] => {
    const { name, search = "", filter } = (each ?? {}) as { readonly [field in keyof SavedView]?: unknown };
    if (typeof name !== "string" || typeof search !== "string" || typeof filter !== "object") return [];
    const known = Object.entries(NO_FILTER).map(([key, none]) => {
      const given = (filter as { readonly [key: string]: unknown } | null)?.[key];
      return [key, typeof given === typeof none ? given : none];
    });
    return [{ name, search, filter: Object.fromEntries(known) as ListFilter }];
  });
}
