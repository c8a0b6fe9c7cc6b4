/** The identity that a record keeps when it comes back after it was deleted. */
export type RecordOrigin = { id: string; created_at: Date }
