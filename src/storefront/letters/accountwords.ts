// Texts of emails about an account, in English and Spanish side by side.
import { speaker, type WordPairs } from '../../kit/values/language.ts'

// prettier-ignore
const words = {
  subject_password_reset:         ['Reset your password', 'Restablece tu contraseña'],
  subject_email_confirmation:     ['Confirm your new address', 'Confirma tu nuevo correo'],
  subject_team_invitation:        ['Invitation to {store}', 'Invitación a {store}'],
  subject_password_changed:       ['Your password was changed', 'Tu contraseña ha cambiado'],
  subject_email_changed:          ['Your email address was changed', 'Tu correo ha cambiado'],
  subject_authenticator_added:    ['An authenticator app was set up', 'Se configuró una aplicación de códigos'],
  subject_authenticator_removed:  ['Your authenticator app was removed', 'Se quitó tu aplicación de códigos'],
  subject_passkey_added:          ['A passkey was added', 'Se añadió una llave de acceso'],
  subject_passkey_removed:        ['A passkey was removed', 'Se quitó una llave de acceso'],
  subject_recovery_codes_created: ['New recovery codes were created', 'Se crearon nuevos códigos de recuperación'],
  subject_recovery_code_used:     ['A recovery code was used', 'Se usó un código de recuperación'],

  password_reset:         ['Someone asked to reset the password of {email}. If it was you, choose a new one. ' +
                             'The link works once, for 30 minutes.',
                           'Alguien pidió restablecer la contraseña de {email}. Si fuiste tú, elige otra. ' +
                             'El enlace sirve una vez, durante 30 minutos.'],
  email_confirmation:     ['Someone wants to use {email} for their account at {site}. If it was you, confirm it. ' +
                             'The link works once, for 30 minutes.',
                           'Alguien quiere usar {email} para su cuenta en {site}. Si fuiste tú, confírmalo. ' +
                             'El enlace sirve una vez, durante 30 minutos.'],
  team_invitation:        ['You are invited to work on {store}. The link works once, for 7 days.',
                           'Te invitan a trabajar en {store}. El enlace sirve una vez, durante 7 días.'],
  password_changed:       ['The password of {email} was changed on {when} (UTC).',
                           'La contraseña de {email} cambió el {when} (UTC).'],
  email_changed:          ['The address of your account was changed from {email} to {to} on {when} (UTC).',
                           'El correo de tu cuenta cambió de {email} a {to} el {when} (UTC).'],
  authenticator_added:    ['An authenticator app was set up for {email} on {when} (UTC). Signing in now asks for a ' +
                             'code.',
                           'Se configuró una aplicación de códigos para {email} el {when} (UTC). Desde ahora se pide ' +
                             'un código al iniciar sesión.'],
  authenticator_removed:  ['The authenticator app of {email} was removed on {when} (UTC).',
                           'Se quitó la aplicación de códigos de {email} el {when} (UTC).'],
  passkey_added:          ['The passkey “{name}” was added to {email} on {when} (UTC). It signs in without a password.',
                           'Se añadió la llave de acceso «{name}» a {email} el {when} (UTC). Inicia sesión sin ' +
                             'contraseña.'],
  passkey_removed:        ['A passkey of {email} was removed on {when} (UTC).',
                           'Se quitó una llave de acceso de {email} el {when} (UTC).'],
  recovery_codes_created: ['Recovery codes for {email} were created on {when} (UTC). Earlier codes no longer work.',
                           'Se crearon códigos de recuperación para {email} el {when} (UTC); los anteriores ya no ' +
                             'sirven.'],
  recovery_code_used:     ['A recovery code of {email} was used to sign in on {when} (UTC). Codes left: {left}.',
                           'Se usó un código de recuperación de {email} para entrar el {when} (UTC). Quedan: {left}.'],

  button_password_reset:     ['Choose a new password', 'Elegir otra contraseña'],
  button_email_confirmation: ['Confirm this address', 'Confirmar este correo'],
  button_team_invitation:    ['Accept the invitation', 'Aceptar la invitación'],

  apps:                ['Apps that still have access', 'Aplicaciones que aún tienen acceso'],
  apps_more:           ['and {count} more', 'y {count} más'],
  apps_review:         ['Review the apps', 'Revisar las aplicaciones'],
  ignore:              ['If it was not you, ignore this email. Nothing changes.',
                        'Si no fuiste tú, ignora este correo. Nada cambia.'],
  was_it_you:          ['If it was you, there is nothing to do. If not, choose a new password now, and check the ' +
                          'sessions and passkeys of your account.',
                        'Si fuiste tú, no tienes que hacer nada. Si no, elige otra contraseña ahora y revisa las ' +
                          'sesiones y las llaves de tu cuenta.'],
} as const satisfies WordPairs

export const accountWords = speaker(words)
