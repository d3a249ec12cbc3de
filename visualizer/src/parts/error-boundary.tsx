import { Component, type ReactNode } from "react";
import { useModel } from "../store/use-model.ts";
import { t } from "../words/t.ts";

type Props = { readonly what: string; readonly children: ReactNode };

/**
 * Contains the failure of a part of the page: displays the error in its place, and renders again after the next
 * step, run or tab. A part whose code could not be loaded comes only with the page, which a newer server may have.
 */
export function ErrorBoundary({ what, children }: Props) {
  const resetKey = useModel(
    ({ selection, stepNumber, tab, dialog }) => `${selection.runId} ${stepNumber} ${tab} ${dialog?.kind}`,
  );
  const isLost = useModel(({ connection }) => connection.kind === "lost"); // what is shown would be gone
  return (
    <Boundary what={what} resetKey={resetKey} isLost={isLost}>
      {children}
    </Boundary>
  );
}

type State = { readonly resetKey?: string; readonly error?: Error };

class Boundary extends Component<Props & { readonly resetKey: string; readonly isLost: boolean }, State> {
  override state: State = {};

  static getDerivedStateFromError(error: Error): State {
    return { error };
  }

  static getDerivedStateFromProps({ resetKey }: { readonly resetKey: string }, state: State): State {
    return state.resetKey === resetKey ? state : { resetKey };
  }

  override render(): ReactNode {
    const { error } = this.state;
    if (!error) return this.props.children;
    return (
      <p className="placeholder" role="alert" data-testid="cannot-show">
        {this.props.what} {t("cannot be displayed:")} {error.message}{" "}
        {!this.props.isLost && (
          <button type="button" className="link" onClick={() => location.reload()}>
            {t("Load the page again")}
          </button>
        )}
      </p>
    );
  }
}
