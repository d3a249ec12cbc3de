import { Component, type ReactNode } from "react";
import { useModel } from "../store/use-model.ts";

type Props = { readonly what: string; readonly children: ReactNode };

/** A part of the page whose failure is its own: it says so in its place, and is tried again with the next step, run or tab. */
export function Guarded({ what, children }: Props) {
  const of = useModel(({ selection, q, tab, dialog }) => `${selection.runId} ${q} ${tab} ${dialog?.kind}`);
  return (
    <Guard what={what} of={of}>
      {children}
    </Guard>
  );
}

type State = { readonly of?: string; readonly error?: Error };

class Guard extends Component<Props & { readonly of: string }, State> {
  override state: State = {};

  static getDerivedStateFromError(error: Error): State {
    return { error };
  }

  static getDerivedStateFromProps({ of }: { readonly of: string }, state: State): State {
    return state.of === of ? state : { of };
  }

  override render(): ReactNode {
    const { error } = this.state;
    if (!error) return this.props.children;
    return (
      <p className="nothing" role="alert" data-testid="cannot-show">
        {this.props.what} cannot be shown here: {error.message}
      </p>
    );
  }
}
