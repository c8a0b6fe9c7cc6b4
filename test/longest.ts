/** The longest test files, longest first, by the report's own list of a full run on two cores. */
export const longest: readonly string[] = []
