/** The outline of the page while it connects; it appears after a delay. */
export function Skeleton() {
  return (
    <div className="body skeleton" aria-busy="true" aria-label="Connecting">
      <div className="left" />
      <div className="center">
        <div />
        <div className="bottom" />
      </div>
      <div className="right" />
    </div>
  );
}
