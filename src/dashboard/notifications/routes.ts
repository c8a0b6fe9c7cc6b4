// A person's own notifications, for the dashboard.
import { set } from '../../kit/declare/composites.ts'
import { json, buildRouteVerbs } from '../../kit/declare/route.ts'
import { choice, text } from '../../kit/declare/scalars.ts'
import { createBody } from '../../kit/declare/shape.ts'
import type { Store } from '../../tenancy/stores/store.ts'
import { changeKinds, markAllRead, markRead } from '../../commerce/notifications/inbox.ts'
import { kindNames } from '../../commerce/notifications/notification.ts'

const { act } = buildRouteVerbs<Store>('Notifications')

// Every member has notifications; the role limits them to what it may read.
const marks = { scope: 'read:store', returns: { type: 'object' } } as const
const doneResponse = json({ done: true })

const kindSet = () => set(choice(kindNames), { max: kindNames.length, unique: true })

export const notificationRoutes = [
  act('/notifications/kinds', {
    ...marks,
    operationId: 'chooseNotifications',
    body: createBody({ kinds: kindSet().required(), mailed_kinds: kindSet().default(['mention']) }),
    summary: 'Choose what you are notified about',
    run: ({ tx, store, body, actor }) => {
      changeKinds(tx, store.id, actor, body)
      return doneResponse
    },
  }),
  act('/notifications/read', {
    ...marks,
    operationId: 'readNotification',
    body: createBody({ id: text({ max: 60, pattern: '^[a-z_]+-[0-9a-f-]{36}$' }).required() }),
    summary: 'Mark a notification as read',
    run: ({ tx, store, body, actor }) => {
      markRead(tx, store.id, actor, body.id)
      return doneResponse
    },
  }),
  act('/notifications/read-all', {
    ...marks,
    operationId: 'readAllNotifications',
    summary: 'Mark all notifications as read',
    run: ({ tx, store, actor }) => {
      markAllRead(tx, store.id, actor)
      return doneResponse
    },
  }),
]
