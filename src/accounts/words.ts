// Every text that people see on these pages, in English and Spanish side by side. {name} is filled in.
import { preferredLanguage, speaker, type Language, type Speak } from '../kit/values/language.ts'

export type { Language }

// prettier-ignore
const words = {
  sign_in:            ['Sign in', 'Iniciar sesión'],
  sign_in_to:         ['Sign in to continue', 'Inicia sesión para continuar'],
  sign_in_again:      ['Confirm that it is you', 'Confirma que eres tú'],
  sign_in_again_hint: ['Please give your password again before you continue.',
                       'Escribe de nuevo tu contraseña antes de continuar.'],
  sign_out:           ['Sign out', 'Cerrar sesión'],
  signed_out:         ['You are signed out', 'Has cerrado la sesión'],
  signed_in_as:       ['Signed in as {email}', 'Sesión iniciada como {email}'],
  other_account:      ['Use another account', 'Usar otra cuenta'],
  email:              ['E-mail', 'Correo electrónico'],
  password:           ['Password', 'Contraseña'],
  new_password:       ['New password', 'Nueva contraseña'],
  new_password_hint:  ['At least 8 characters, and none of the common ones',
                       'Al menos 8 caracteres, y ninguna de las más usadas'],
  your_name:          ['Your name', 'Tu nombre'],
  forgot:             ['Forgot your password?', '¿Olvidaste tu contraseña?'],
  wrong_login:        ['The e-mail or the password is wrong.', 'El correo o la contraseña no son correctos.'],
  too_many:           ['Too many attempts. Try again in {seconds} seconds.',
                       'Demasiados intentos. Inténtalo de nuevo en {seconds} segundos.'],
  back_to_sign_in:    ['Back to sign-in', 'Volver al inicio de sesión'],

  reset_title:        ['Choose a new password', 'Elige una nueva contraseña'],
  reset_ask:          ['Reset your password', 'Restablecer la contraseña'],
  reset_hint:         ['We send a link to your e-mail address.', 'Te enviaremos un enlace a tu correo.'],
  reset_send:         ['Send the link', 'Enviar el enlace'],
  reset_sent:         ['Check your e-mail', 'Revisa tu correo'],
  reset_sent_text:    ['If {email} has an account here, a link is on its way. It works for 30 minutes.',
                       'Si {email} tiene una cuenta aquí, el enlace está en camino. Sirve durante 30 minutos.'],
  reset_save:         ['Save and sign in', 'Guardar e iniciar sesión'],
  password_length:    ['The password must have 8 to 200 characters.',
                       'La contraseña debe tener entre 8 y 200 caracteres.'],
  password_common:    ['This is one of the 100,000 most common passwords. Please choose another.',
                       'Es una de las 100.000 contraseñas más comunes. Elige otra.'],
  password_repeated:  ['The password must not repeat the same few characters.',
                       'La contraseña no puede repetir los mismos caracteres.'],
  password_personal:  ['The password must not be made of your e-mail or the name of the store.',
                       'La contraseña no puede formarse con tu correo ni con el nombre de la tienda.'],
  reset_mail_subject: ['Reset your password', 'Restablece tu contraseña'],
  reset_mail:         ['Somebody asked for a new password for this address. If it was you, open this link ' +
                         'within 30 minutes:\n\n{link}\n\nIf not, do nothing: your password stays as it is.',
                       'Alguien pidió una nueva contraseña para esta dirección. Si fuiste tú, abre este ' +
                         'enlace en los próximos 30 minutos:\n\n{link}\n\nSi no, no hagas nada: tu contraseña ' +
                         'no cambia.'],
  changed_mail_subject: ['Your password was changed', 'Tu contraseña ha cambiado'],
  changed_mail:       ['The password of your account was changed on {when} (UTC). If it was you, there is nothing ' +
                         'to do. If not, choose a new one now:\n\n{link}',
                       'La contraseña de tu cuenta cambió el {when} (UTC). Si fuiste tú, no tienes que hacer ' +
                         'nada. Si no, elige otra ahora:\n\n{link}'],
  link_dead:          ['This link does not work any more', 'Este enlace ya no funciona'],
  link_dead_text:     ['It was used, or its time is over. Please ask for a new one.',
                       'Ya se usó o ha caducado. Pide uno nuevo.'],
  link_sign_in:       ['This link signs you in once.', 'Este enlace inicia tu sesión una sola vez.'],

  invited_title:      ['Join {store}', 'Únete a {store}'],
  invited_text:       ['You are invited as {role}.', 'Te han invitado como {role}.'],
  invited_new:        ['Choose a password for {email}.', 'Elige una contraseña para {email}.'],
  invited_known:      ['Give the password of {email}.', 'Escribe la contraseña de {email}.'],
  invited_accept:     ['Join the store', 'Unirme a la tienda'],
  invited_mail_subject: ['Invitation to {store}', 'Invitación a {store}'],
  invited_mail:       ['You are invited to work on {store}. Open this link within 7 days:\n\n{link}',
                       'Te invitan a trabajar en {store}. Abre este enlace en los próximos 7 días:\n\n{link}'],
  role_owner:         ['owner', 'propietario'],
  role_admin:         ['administrator', 'administrador'],
  role_staff:         ['staff', 'personal'],

  consent_title:      ['Allow {client}?', '¿Permitir {client}?'],
  verified:           ['Verified', 'Verificada'],
  unverified:         ['This app is not verified. Go on only if you know who made it.',
                       'Esta aplicación no está verificada. Continúa solo si sabes quién la hizo.'],
  loopback:           ['This app runs on your own computer. Go on only if you have just started it yourself.',
                       'Esta aplicación se ejecuta en tu propia computadora. Continúa solo si acabas de iniciarla tú.'],
  sends_you_to:       ['It sends you to', 'Te llevará a'],
  may:                ['It may', 'Podrá'],
  which_store:        ['Store', 'Tienda'],
  allow:              ['Allow', 'Permitir'],
  deny:               ['Deny', 'Rechazar'],
  no_store:           ['There is no store that you may connect', 'No tienes ninguna tienda que puedas conectar'],
  no_store_text:      ['Only owners and administrators of a store may connect apps.',
                       'Solo propietarios y administradores pueden conectar aplicaciones.'],
  choose_store:       ['Please choose a store.', 'Elige una tienda.'],
  privacy:            ['Privacy policy', 'Política de privacidad'],
  terms:              ['Terms of service', 'Condiciones del servicio'],
  website:            ['Website', 'Sitio web'],
  consent_foot:       ['You can end this access at any time under Connected apps.',
                       'Puedes retirar este acceso cuando quieras en Aplicaciones conectadas.'],

  error_title:        ['This did not work', 'Algo no salió bien'],
  error_back:         ['Go back to the app and begin again.', 'Vuelve a la aplicación y empieza de nuevo.'],
  expired_title:      ['This request has expired', 'Esta solicitud ha caducado'],
  elsewhere:          ['The form came from another site', 'El formulario vino de otro sitio'],
  not_found:          ['There is nothing here', 'Aquí no hay nada'],
  not_allowed:        ['Your role in the store does not allow this.', 'Tu rol en la tienda no lo permite.'],
  team_full:          ['Staff limit reached ({count})', 'La tienda llegó al límite de personas de su plan ({count})'],
  already_member:     ['This person is already a member of the store.', 'Esta persona ya es miembro de la tienda.'],
  last_owner:         ['A store keeps at least one owner.', 'Una tienda conserva al menos un propietario.'],
  bad_email:          ['Please give a valid e-mail address.', 'Escribe un correo electrónico válido.'],
  bad_name:           ['Please give the app a name of at most 200 characters.',
                       'Escribe un nombre de 200 caracteres como máximo.'],
  bad_redirects:      ['Redirect addresses must be https, or http on localhost, 127.0.0.1 or [::1], ' +
                         'and have no fragment.',
                       'Las direcciones de redirección deben ser https, o http en localhost, ' +
                         '127.0.0.1 o [::1], y sin fragmento.'],
  bad_input:          ['Please check what you entered.', 'Revisa los datos que escribiste.'],
  busy:               ['The service is busy. Please try again in a moment.',
                       'El servicio está ocupado. Inténtalo de nuevo en un momento.'],
  broken:             ['Something went wrong on our side.', 'Algo falló de nuestro lado.'],

  portal_clients:     ['Your apps', 'Tus aplicaciones'],
  portal_apps:        ['Connected apps', 'Aplicaciones conectadas'],
  portal_sessions:    ['Sessions', 'Sesiones'],
  portal_team:        ['Team', 'Equipo'],
  app_new:            ['New app', 'Nueva aplicación'],
  app_name:           ['Name', 'Nombre'],
  app_redirects:      ['Redirect addresses, one a line', 'Direcciones de redirección, una por línea'],
  app_scopes:         ['Permissions', 'Permisos'],
  app_public:         ['Public client (no secret)', 'Cliente público (sin secreto)'],
  app_create:         ['Create the app', 'Crear la aplicación'],
  app_none:           ['You have made no app yet.', 'Aún no has creado ninguna aplicación.'],
  app_secret_once:    ['This is the only time that you see the secret. Keep it safe.',
                       'Es la única vez que verás el secreto. Guárdalo bien.'],
  app_rotate:         ['New secret', 'Nuevo secreto'],
  app_delete:         ['Delete', 'Eliminar'],
  apps_none:          ['No app is connected.', 'No hay aplicaciones conectadas.'],
  revoke:             ['Remove access', 'Retirar el acceso'],
  granted_title:      ['Your password is changed', 'Tu contraseña ha cambiado'],
  granted_text:       ['You let these apps in before. They do not need your password and still have access.',
                       'Estas aplicaciones tenían tu permiso. No necesitan tu contraseña y aún tienen acceso.'],
  granted_end:        ['End their access', 'Retirarles el acceso'],
  granted_keep:       ['Keep them', 'Conservarlas'],
  last_used:          ['Last used {when}', 'Último uso: {when}'],
  never_used:         ['Not used yet', 'Sin usar todavía'],
  connected:          ['Connected {when} by {who}', 'Conectada el {when} por {who}'],
  this_session:       ['This session', 'Esta sesión'],
  end_session:        ['End', 'Terminar'],
  end_others:         ['End all other sessions', 'Terminar todas las demás'],
  invite:             ['Invite', 'Invitar'],
  invite_sent:        ['The invitation is on its way.', 'La invitación está en camino.'],
  remove:             ['Remove', 'Quitar'],
  role:               ['Role', 'Rol'],
  pending:            ['invited', 'invitado'],

  'read:products':    ['See products', 'Ver productos'],
  'write:products':   ['See and change products', 'Ver y cambiar productos'],
  'read:categories':  ['See categories', 'Ver categorías'],
  'write:categories': ['See and change categories', 'Ver y cambiar categorías'],
  'read:inventory':   ['See stock', 'Ver existencias'],
  'write:inventory':  ['See and change stock', 'Ver y cambiar existencias'],
  'read:orders':      ['See orders, with names and addresses', 'Ver pedidos, con nombres y direcciones'],
  'write:orders':     ['See, make and change orders', 'Ver, crear y cambiar pedidos'],
  'read:customers':   ['See customers and their contact data', 'Ver clientes y sus datos de contacto'],
  'write:customers':  ['See and change customers', 'Ver y cambiar clientes'],
  'read:discounts':   ['See discounts', 'Ver descuentos'],
  'write:discounts':  ['See and change discounts', 'Ver y cambiar descuentos'],
  'read:store':       ['See the settings of the store', 'Ver los ajustes de la tienda'],
  'write:store':      ['See and change the settings of the store', 'Ver y cambiar los ajustes de la tienda'],
  'read:webhooks':    ['See webhooks', 'Ver webhooks'],
  'write:webhooks':   ['See and change webhooks', 'Ver y cambiar webhooks'],
  'read:checkout_drafts': ['See abandoned checkouts, with contact data',
                           'Ver carritos abandonados, con datos de contacto'],
} as const satisfies Record<string, readonly [string, string]>

export type Word = keyof typeof words

export type Say = Speak<Word>

export const sayIn: (language: Language) => Say = speaker(words)

export function isWord(text: string): text is Word {
  return Object.hasOwn(words, text)
}

/** The best of Accept-Language; English when it names neither. */
export function languageOf(accepted: string | undefined): Language {
  return preferredLanguage(accepted) ?? 'en'
}
