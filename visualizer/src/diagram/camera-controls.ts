/** The camera of the displayed chart, for the keys `0`, `+` and `−`; null while no chart is displayed. */
export const cameraControls: { current: { zoom(factor: number): void; fit(): void } | null } = {
  current: null,
};
