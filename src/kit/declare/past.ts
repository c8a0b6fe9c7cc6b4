/** What a record keeps that comes back after it was deleted. */
export type Past = { id: string; created_at: Date }
