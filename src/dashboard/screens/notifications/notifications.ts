// The member's notifications, and their settings.
import { html } from 'hono/html'
import { mayUse } from '../../../identity/accounts/roles.ts'
import { publicId } from '../../../kit/values/ids.ts'
import { attributes } from '../../../platform/pages/parts.ts'
import { buildInbox } from '../../../commerce/notifications/inbox.ts'
import { findNotifications, kindNames, kinds, type Notification } from '../../../commerce/notifications/notification.ts'
import { endpoint } from '../../framework/api.ts'
import { button } from '../../framework/form.ts'
import { emptyState } from '../../framework/parts.ts'
import { record } from '../../framework/record.ts'
import type { Choices, Html, PageContext, PageResult, ScreenAction } from '../../framework/screen.ts'

const choose: ScreenAction = {
  route: endpoint('POST /notifications/kinds'),
  inputs: [
    { name: 'kinds', label: 'notification_kinds', as: 'boxes', options: listKindChoices },
    {
      name: 'mailed_kinds',
      label: 'notification_mails',
      hint: 'notification_mails_hint',
      as: 'boxes',
      options: listKindChoices,
    },
  ],
  done: 'saved',
}

function listKindChoices({ role, t }: PageContext): Choices {
  const own = kindNames.filter((kind) => mayUse(role, kinds[kind]))
  return own.map((kind) => [kind, t(`notification_kind_${kind}`)] as const)
}

// prettier-ignore
export const notificationsScreen = record({
  path: '/notifications', scope: 'read:store', title: 'notifications', section: 'home',
  actions: {
    choose,
    read: {
      route: endpoint('POST /notifications/read'), done: 'notification_read',
      inputs: [{ name: 'id', label: 'notifications' }],
    },
    read_all: { route: endpoint('POST /notifications/read-all'), done: 'notifications_read' },
  },
  read: loadNotifications,
  buttons: [{ act: 'read_all', text: 'notifications_read_all', when: (all) => all.some(({ is_read }) => !is_read) }],
  main: [
    (context, all) => all.length > 0
      ? list(context, all)
      : emptyState(context.t, 'notifications_none', 'notifications_none_text', { icon: 'bell' }),
    ({ t }) => html`<notify-permission${attributes({
      label: t('notify_allow'), done: t('notify_allowed'), blocked: t('notify_blocked'),
    })}></notify-permission>`,
    { title: 'notification_settings', isOpen: () => false,
      form: { act: 'choose', values: chosenKinds, isQuiet: true } },
  ],
  json: async (context): Promise<PageResult> => ({ json: JSON.stringify(await buildUnreadJson(context)) }),
})

function loadNotifications({ db, store, session, role }: PageContext): Promise<Notification[]> {
  return findNotifications(db, { storeId: store.id, role, inbox: buildInbox(session, store.id, db.clock.now()) })
}

function chosenKinds(_: unknown, { db, store, session }: PageContext) {
  const { kinds, mailed_kinds } = buildInbox(session, store.id, db.clock.now())
  return { kinds: kinds ?? kindNames, mailed_kinds: mailed_kinds ?? ['mention'] }
}

function list(context: PageContext, notifications: readonly Notification[]): Html {
  const { t, formatTime } = context
  const rows = notifications.map((one) => {
    const text = formatNotification(context, one)
    const mark = { act: 'read', fixed: { id: one.id }, text: 'notification_mark', kind: 'link', about: text } as const
    return html`<li${attributes({ class: !one.is_read && 'unread' })}><div>
<p><a class="main" href="${buildNotificationUrl(context, one)}">${text}</a>
${one.is_read ? '' : html`<span class="hidden">${t('unread')}</span>`}</p>
<p class="hint"><time datetime="${one.at.toISOString()}">${formatTime(one.at)}</time></p></div>
${one.is_read ? '' : button(context, mark)}</li>`
  })
  return html`<ul class="rows notifications" aria-label="${t('notifications')}">${rows}</ul>`
}

function formatNotification({ t }: PageContext, { kind, order_number, product_name, count }: Notification): string {
  if ((count ?? 1) > 1)
    return t(kind === 'order' ? 'notification_order_several' : 'notification_low_stock_several', { count: count! })
  return t(`notification_${kind}`, { number: order_number ?? '–', name: product_name ?? '' })
}

function buildNotificationUrl(
  { base }: PageContext,
  { kind, order_id, comment_id, product_id, is_sold_out, count }: Notification,
): string {
  if (kind === 'order' && (count ?? 1) > 1) return `${base}/orders`

  if (product_id) return `${base}/products/${publicId('prod', product_id)}`
  if (kind === 'low_stock') return `${base}/products?stock_status=${is_sold_out ? 'out_of_stock' : 'low_stock'}`
  const at = comment_id ? `#${publicId('cmt', comment_id)}` : ''
  return order_id ? `${base}/orders/${publicId('ord', order_id)}${at}` : `${base}/payments`
}

/** For the badge and for browser notifications. */
async function buildUnreadJson(context: PageContext): Promise<object> {
  const all = (await loadNotifications(context)).filter(({ is_read }) => !is_read)
  const items = all
    .slice(0, 10)
    .map((one) => ({ id: one.id, text: formatNotification(context, one), to: buildNotificationUrl(context, one) }))
  return { unread: all.length, items }
}
