import { ApiError } from '../../kit/values/errors.ts'
import { sentences } from '../../kit/values/faults.ts'

// Each completes "<field> …".
// prettier-ignore
export const mediaFaults = sentences({
  file_required:     'is required unless url is given',
  file_too_large:    'must be at most {limit} bytes in size',
  no_room:           'exceeds the limit: images of a store can take up at most {limit} MB',
  no_picture:        'must be a complete JPEG, PNG, WebP, GIF or AVIF image',
  too_many_pixels:   'must have at most {limit} pixels',
  wrong_sides:       'must be {least} to {most} pixels on each side',
  cannot_be_fetched: 'could not be fetched ({failure})',
  not_rehearsed:     'is not fetched in a dry run; upload the file instead',
})

/** Limits what one store can send, so that others can still upload. */
export function tooManyPictures(limit: number): ApiError {
  return new ApiError(429, 'RATE_LIMITED', `Too many images: at most ${limit} per store are processed at a time`, {
    headers: { 'retry-after': '2' },
  })
}
