import { useModel } from "../store/use-model.ts";
import { BlobDialog } from "./blob-dialog.tsx";
import { ForkDialog } from "./fork-dialog.tsx";
import { GoToDialog } from "./go-to-dialog.tsx";
import { HelpDialog } from "./help-dialog.tsx";
import { MessageDialog } from "./message-dialog.tsx";

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
      return <ForkDialog stepNumber={dialog.stepNumber} />;
    case "message":
      return <MessageDialog {...dialog} />;
    case "blob":
      return <BlobDialog {...dialog} />;
  }
}
