/** What is shown to who has not come by the link. */
export function NoToken({ isWrong = false }: { readonly isWrong?: boolean }) {
  return (
    <main className="no-token">
      <h1>{isWrong ? "This link is out of date" : "Open the link of the terminal"}</h1>
      <p>
        <code>agentchart dev</code> prints a link to this page. Its end, after <code>#t=</code>, lets you in.
      </p>
    </main>
  );
}
