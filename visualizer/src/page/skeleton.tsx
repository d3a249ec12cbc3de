/** While the page connects: its shape, which shows only if that takes a while. */
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
