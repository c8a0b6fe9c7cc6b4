/** What a record keeps that comes back after it was deleted. */
export type RecordOrigin = { id: string; created_at: Date }
