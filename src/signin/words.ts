// Every text that people see on these pages, in English and Spanish side by side. {name} is filled in.
import { speaker, type Language, type Speak, type Words } from '../kit/values/language.ts'

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
  new_password_hint:  ['At least 8 characters, and none of the common ones',
                       'Al menos 8 caracteres, y ninguna de las más usadas'],
  password_length:    ['The password must have 8 to 200 characters.',
                       'La contraseña debe tener entre 8 y 200 caracteres.'],
  password_common:    ['This is one of the 100,000 most common passwords. Please choose another.',
                       'Es una de las 100.000 contraseñas más comunes. Elige otra.'],
  password_repeated:  ['The password must not repeat the same few characters.',
                       'La contraseña no puede repetir los mismos caracteres.'],
  password_personal:  ['The password must not be made of your e-mail or the name of the store.',
                       'La contraseña no puede formarse con tu correo ni con el nombre de la tienda.'],
  changed_mail_subject: ['Your password was changed', 'Tu contraseña ha cambiado'],
  changed_mail:       ['The password of your account was changed on {when} (UTC). If it was you, there is nothing ' +
                         'to do. If not, choose a new one now:\n\n{link}',
                       'La contraseña de tu cuenta cambió el {when} (UTC). Si fuiste tú, no tienes que hacer ' +
                         'nada. Si no, elige otra ahora:\n\n{link}'],
  reset_mail_subject: ['Reset your password', 'Restablece tu contraseña'],
  reset_mail:         ['Somebody asked for a new password for this address. If it was you, open this link ' +
                         'within 30 minutes:\n\n{link}\n\nIf not, do nothing: your password stays as it is.',
                       'Alguien pidió una nueva contraseña para esta dirección. Si fuiste tú, abre este ' +
                         'enlace en los próximos 30 minutos:\n\n{link}\n\nSi no, no hagas nada: tu contraseña ' +
                         'no cambia.'],
  link_dead:          ['This link does not work any more', 'Este enlace ya no funciona'],
  link_dead_text:     ['It was used, or its time is over. Sign in with your password, or let a new link be ' +
                         'sent to you. Whoever runs this service makes one with the command:',
                       'Ya se usó o ha caducado. Inicia sesión con tu contraseña o pide que te enviemos un ' +
                         'enlace nuevo. Quien opera este servicio crea uno con el comando:'],
  link_sign_in:       ['This link signs you in once.', 'Este enlace inicia tu sesión una sola vez.'],

  invited_title:      ['Join {store}', 'Únete a {store}'],
  invited_text:       ['You are invited as {role}.', 'Te han invitado como {role}.'],
  invited_new:        ['Choose a password for {email}.', 'Elige una contraseña para {email}.'],
  invited_known:      ['Give the password of {email}.', 'Escribe la contraseña de {email}.'],
  invited_accept:     ['Join the store', 'Unirme a la tienda'],
  role_owner:         ['owner', 'propietario'],
  role_admin:         ['administrator', 'administrador'],
  role_staff:         ['staff', 'personal'],

  error_title:        ['This did not work', 'Algo no salió bien'],
  error_back:         ['Go back to the app and begin again.', 'Vuelve a la aplicación y empieza de nuevo.'],
  expired_title:      ['This request has expired', 'Esta solicitud ha caducado'],
  elsewhere:          ['The form came from another site', 'El formulario vino de otro sitio'],
  not_found:          ['There is nothing here', 'Aquí no hay nada'],
  not_allowed:        ['Your role in the store does not allow this.', 'Tu rol en la tienda no lo permite.'],
  team_full:          ['Staff limit reached ({count}/{limit})',
                       'La tienda llegó al límite de personas de su plan ({count}/{limit})'],
  already_member:     ['This person is already a member of the store.', 'Esta persona ya es miembro de la tienda.'],
  last_owner:         ['A store keeps at least one owner.', 'Una tienda conserva al menos un propietario.'],
  bad_email:          ['Please give a valid e-mail address.', 'Escribe un correo electrónico válido.'],
  too_many_invitations: ['At most {limit} invitations a day.', 'Máximo {limit} invitaciones al día.'],
  too_many_apps:      ['At most {limit} apps for each developer.', 'Máximo {limit} aplicaciones por persona.'],
  bad_name:           ['Please give the app a name of at most 200 characters.',
                       'Escribe un nombre de 200 caracteres como máximo.'],
  bad_redirects:      ['Redirect addresses must be https, or http on localhost, 127.0.0.1 or [::1], ' +
                         'and have no fragment.',
                       'Las direcciones de redirección deben ser https, o http en localhost, ' +
                         '127.0.0.1 o [::1], y sin fragmento.'],
  no_scope:           ['Please choose at least one permission.', 'Elige al menos un permiso.'],
  bad_input:          ['Please check what you entered.', 'Revisa los datos que escribiste.'],
  busy:               ['The service is busy. Please try again in a moment.',
                       'El servicio está ocupado. Inténtalo de nuevo en un momento.'],
  broken:             ['Something went wrong on our side.', 'Algo falló de nuestro lado.'],
} as const satisfies Words

export type Word = keyof typeof words
export type Say = Speak<Word>

export const signInWords = words

export const sayIn: (language: Language) => Say = speaker(words)
