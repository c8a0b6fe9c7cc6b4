// What is taken as a picture.
export const formats = ['jpeg', 'png', 'webp', 'gif', 'avif'] as const
export const maximumBytes = 15 * 1024 * 1024
export const maximumPixels = 25_000_000
export const leastSide = 16
export const mostSide = 16_383
