// Limits for uploaded images.
export const formats = ['jpeg', 'png', 'webp', 'gif', 'avif'] as const
export const maxFileMegabytes = 15
export const maxFileBytes = maxFileMegabytes * 1024 * 1024
export const maxPixels = 25_000_000
export const minSide = 16
export const maxSide = 16_383
