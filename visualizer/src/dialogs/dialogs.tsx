import { lazy, Suspense } from "react";
import { useModel } from "../store/use-model.ts";
import { BlobDialog } from "./blob-dialog.tsx";
import { GoToDialog } from "./go-to-dialog.tsx";
import { HelpDialog } from "./help-dialog.tsx";
import { MessageDialog } from "./message-dialog.tsx";

const HandOnDialog = lazy(() => import("./hand-on-dialog.tsx"));
const ForkDialog = lazy(() => import("./fork-dialog.tsx"));

/** The open dialog. */
export function Dialogs() {
  const dialog = useModel((all) => all.dialog);
  switch (dialog?.kind) {
    case undefined:
      return null;
    case "help":
      return <HelpDialog />;
    case "goTo":
      return <GoToDialog />;
    case "fork":
      return (
        <Suspense fallback={null}>
          <ForkDialog {...dialog} />
        </Suspense>
      );
    case "handOn":
      return (
        <Suspense fallback={null}>
          <HandOnDialog />
        </Suspense>
      );
    case "message":
      return <MessageDialog {...dialog} />;
    case "blob":
      return <BlobDialog {...dialog} />;
  }
}
