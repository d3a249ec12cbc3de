import type { Model } from "../store/model.ts";
import { BlobDialog } from "./blob-dialog.tsx";
import { GoToDialog } from "./go-to-dialog.tsx";
import { HelpDialog } from "./help-dialog.tsx";
import { MessageDialog } from "./message-dialog.tsx";

type Small = Extract<Model["dialog"], { readonly kind: "help" | "goTo" | "message" | "blob" }>;

/** The dialogs that are small, loaded together when the first of them is opened. */
export default function SmallDialog({ dialog }: { readonly dialog: Small }) {
  switch (dialog.kind) {
    case "help":
      return <HelpDialog />;
    case "goTo":
      return <GoToDialog />;
    case "message":
      return <MessageDialog {...dialog} />;
    case "blob":
      return <BlobDialog {...dialog} />;
  }
}
