/** Yields the pages of a list, each of which says where the next one begins. A page is fetched when the one before was read. */
export async function* pagesOf<Page extends { readonly cursor?: string | undefined }>(
  fetchPage: (from: { readonly cursor?: string }) => Promise<Page>,
  from?: string,
): AsyncGenerator<Page> {
  let cursor = from;
  do {
    const page = await fetchPage(cursor === undefined ? {} : { cursor });
    yield page;
    ({ cursor } = page);
  } while (cursor !== undefined);
}
