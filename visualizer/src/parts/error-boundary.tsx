import { Component, type ReactNode } from "react";
import { useModel } from "../store/use-model.ts";
import { t } from "../words/t.ts";

type Props = { readonly what: string; readonly children: ReactNode };

/**
 * Contains the failure of a part of the page: displays the error in its place, and renders again after the next
 * step, run or tab.
 */
export function ErrorBoundary({ what, children }: Props) {
  const resetKey = useModel(
    ({ selection, stepNumber, tab, dialog }) => `${selection.runId} ${stepNumber} ${tab} ${dialog?.kind}`,
  );
  return (
    <Boundary what={what} resetKey={resetKey}>
      {children}
    </Boundary>
  );
}

type State = { readonly resetKey?: string; readonly error?: Error };

class Boundary extends Component<Props & { readonly resetKey: string }, State> {
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
        {this.props.what} {t("cannot be displayed:")} {error.message}
      </p>
    );
  }
}
