import type { ReactNode } from "react";

type LineIconProps = {
  path: string;
  /** Side of the square in which the path is drawn. */
  grid?: 20 | 24;
  strokeWidth?: 1.5 | 1.75;
};

/** An icon of lines in the colour of the text. Hidden from screen readers, which read the text next to it. */
export function LineIcon({ path, grid = 20, strokeWidth = 1.75 }: LineIconProps): ReactNode {
  return (
    <svg
      viewBox={`0 0 ${grid} ${grid}`}
      fill="none"
      stroke="currentColor"
      strokeWidth={strokeWidth}
      strokeLinecap="round"
      strokeLinejoin="round"
      aria-hidden="true"
    >
      <path d={path} />
    </svg>
  );
}
