// A saved view: a person's filters and order of a list, under a name. Nobody else sees it.
import type { Create, Entity, Patch } from '../../kit/declare/field.ts'
import { resource } from '../../kit/declare/resource.ts'
import { choice, flag, id, text, time } from '../../kit/declare/scalars.ts'

export const lists = ['orders'] as const

// prettier-ignore
export const savedView = resource('saved_views', {
  id:         id('view').readonly(),
  list:       choice(lists).required(),
  name:       text({ min: 1, max: 60 }).required().example('To be sent'),
  query:      text({ min: 1, max: 2000, pattern: '^[\\w.~%*+=&-]+$' }).required().example('status=pending&sort=total'),
  is_default: flag().default(false).describe('What the list shows at first'),
  created_at: time().readonly().sortable(),
  updated_at: time().readonly(),
}, {}, { noun: 'Saved view' })

export type SavedView = Entity<typeof savedView.fields>
export type NewView = Create<typeof savedView.fields>
export type ViewPatch = Patch<Pick<typeof savedView.fields, 'name' | 'is_default'>>

/** The maximum per person and list. */
export const maxViews = 30
