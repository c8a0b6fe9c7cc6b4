import { ApiError } from '../../kit/values/errors.ts'
import { sentences } from '../../kit/values/faults.ts'

// Each completes "<field> …".
// prettier-ignore
export const mediaFaults = sentences({
  file_required:     'is required, or a url',
  file_too_large:    'must have at most {limit} bytes',
  no_room:           'does not fit: the pictures of a store may take {limit} MB',
  no_picture:        'must be a whole JPEG, PNG, WebP, GIF or AVIF',
  too_many_pixels:   'must have at most {limit} pixels',
  wrong_sides:       'must be {least} to {most} pixels wide and high',
  cannot_be_fetched: 'cannot be fetched ({failure})',
  not_rehearsed:     'is not fetched in a rehearsal: send the file',
})

/** What one store sends must not keep others from sending theirs. */
export function tooManyPictures(limit: number): ApiError {
  return new ApiError(429, 'RATE_LIMITED', `At most ${limit} pictures of a store are processed at a time`, {
    headers: { 'retry-after': '2' },
  })
}
