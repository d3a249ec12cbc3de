/** What the keys `0`, `+` and `−` do while a chart is shown. */
export const cameraKeys: { current: { zoom(factor: number): void; fit(): void } | null } = { current: null };
