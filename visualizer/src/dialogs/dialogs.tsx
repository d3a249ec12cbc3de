import { lazy, Suspense } from "react";
import { useModel } from "../store/use-model.ts";

const SmallDialog = lazy(() => import("./small-dialogs.tsx"));
const HandOnDialog = lazy(() => import("./hand-on-dialog.tsx"));
const BreakpointsDialog = lazy(() => import("../breakpoints/breakpoints-dialog.tsx"));
const ActorBreaks = lazy(() => import("../breakpoints/actor-breaks.tsx"));
const LabelDialog = lazy(() => import("./label-dialog.tsx"));
const ForkDialog = lazy(() => import("./fork-dialog.tsx"));

/** The open dialog. */
export function Dialogs() {
  const dialog = useModel((all) => all.dialog);
  if (!dialog) return null;
  return (
    <Suspense fallback={null}>
      {dialog.kind === "fork" ? (
        <ForkDialog {...dialog} />
      ) : dialog.kind === "breakpoints" ? (
        <BreakpointsDialog {...dialog} />
      ) : dialog.kind === "actorBreaks" ? (
        <ActorBreaks {...dialog} />
      ) : dialog.kind === "label" ? (
        <LabelDialog {...dialog} />
      ) : dialog.kind === "handOn" ? (
        <HandOnDialog />
      ) : (
        <SmallDialog dialog={dialog} />
      )}
    </Suspense>
  );
}
