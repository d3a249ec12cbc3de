import type { Tone } from "../logic/chart-index.ts";
import { compact } from "../logic/format.ts";
import type { Tally } from "./agent-map.ts";
import { t } from "../words/t.ts";

/** A figure at the right end of a row, such as how often a tool failed. */
export type Mark = {
  readonly text: string;
  /** The text where there is little room. */
  readonly short?: string;
  readonly tone?: Tone;
  readonly title: string;
};

/** A row of a card. `id`: what a click filters by; a row without one is text. `rank`: rows of a higher one are left out first. */
export type Row = {
  readonly kind: "text" | "gauge" | "item" | "fold";
  readonly key: string;
  readonly text: string;
  readonly title?: string;
  readonly id?: string;
  readonly marks?: readonly Mark[];
  readonly tone?: Tone;
  readonly isGrey?: boolean;
  readonly isMono?: boolean;
  readonly isRunning?: boolean;
  /** Of a gauge, from 0 to 1. */
  readonly share?: number;
  readonly rank: number;
  /** The run that it opens. */
  readonly runId?: string;
};

/** The tally of a tool in marks, worst first. */
export function marksOf({ calls, failures, running, retries, asks }: Tally): readonly Mark[] {
  const marks: Mark[] = [];
  if (failures > 0)
    marks.push({
      text: t`${compact(failures)} failed`,
      short: `✕${compact(failures)}`,
      tone: "red",
      title: t("failed attempts"),
    });
  if (retries > 0)
    marks.push({
      text: t`${compact(retries)} retried`,
      short: `↻${compact(retries)}`,
      tone: "amber",
      title: t("attempts after the first"),
    });
  if (asks > 0)
    marks.push({
      text: t`asked ${compact(asks)}×`,
      short: `?${compact(asks)}`,
      tone: "amber",
      title: t("times a person was asked"),
    });
  if (running > 0)
    marks.push({
      text: t`${compact(running)} running`,
      short: `▸${compact(running)}`,
      tone: "cyan",
      title: t("calls that run"),
    });
  if (calls > 0) marks.push({ text: `${compact(calls)}×`, title: t("calls") });
  return marks;
}
