// An image uploaded by a merchant. Products, categories and order bumps refer to it by its URL.
import { derive } from '../../kit/declare/field.ts'
import { choice, id, integer, text, time, url } from '../../kit/declare/scalars.ts'
import { filter, resource } from '../../kit/declare/resource.ts'
import { createBody } from '../../kit/declare/shape.ts'
import { baseUrl, sql } from '../../kit/database/sql.ts'
import { formats } from './limits.ts'

const statuses = ['processing', 'ready', 'failed'] as const

const address = sql`(${baseUrl}::text || '/media/' || media.store_id || '/' || media.hash || '-'
  || media.width::text || 'x' || media.height::text || '-' || media.colour || '/' || least(media.width, 1280)::text
  || '.jpg')`

const exampleUrl = 'https://shop.example/media/MX-0A1B2C3D/9f86d081884c7d659a2feaa0c55ad015-4000x3000-7a5b3c/1280.jpg'

// prettier-ignore
export const media = resource('media', {
  id:         id('med').readonly(),
  url:        derive(url().example(exampleUrl), address),
  alt_text:   text({ max: 500 }).nullable().example('A waxed canvas backpack, from the front'),
  width:      integer({ min: 1 }).readonly().example(4000).describe('Width in pixels'),
  height:     integer({ min: 1 }).readonly().example(3000).describe('Height in pixels'),
  colour:     text({ max: 6 }).readonly().example('7a5b3c').describe('Dominant color in hexadecimal digits'),
  bytes:      integer({ min: 1 }).readonly().sortable().describe('Size of the uploaded file in bytes'),
  format:     choice(formats).readonly().describe('Format of the uploaded file, detected from its content'),
  status:     choice(statuses).readonly()
    .describe('Status of the image; ready once its renditions exist, after a few seconds'),
  created_at: time().readonly().sortable(),
  updated_at: time().readonly().sortable(),
}, {
  status: filter(choice([...statuses, 'all']).default('all'), (status) =>
    (status === 'all' ? null : sql`media.status = ${status}`)),
}, { noun: 'Image', title: 'Media' })

/** Fields sent with a file, or in place of one. */
export const upload = createBody({
  url: url().describe('Public https URL to import the image from, if no file is uploaded'),
  alt_text: text({ max: 500 }).nullable(),
})
