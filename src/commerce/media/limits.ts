// Limits for uploaded images.
export const formats = ['jpeg', 'png', 'webp', 'gif', 'avif'] as const
export const maxFileBytes = 15 * 1024 * 1024
export const maxPixels = 25_000_000
export const minSide = 16
export const maxSide = 16_383
