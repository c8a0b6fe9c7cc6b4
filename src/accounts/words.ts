// What letters about an account say, in English and Spanish side by side.
import { speaker, type Words } from '../kit/values/language.ts'

// prettier-ignore
const words = {
  subject_password:  ['Your password was changed', 'Tu contraseña ha cambiado'],
  subject_email:     ['Your e-mail address was changed', 'Tu correo ha cambiado'],
  subject_totp_set:  ['An authenticator app was set up', 'Se configuró una aplicación de códigos'],
  subject_totp_removed: ['Your authenticator app was removed', 'Se quitó tu aplicación de códigos'],
  subject_passkey_added: ['A passkey was added', 'Se añadió una llave de acceso'],
  subject_passkey_removed: ['A passkey was removed', 'Se quitó una llave de acceso'],
  subject_codes_made: ['New recovery codes were made', 'Se crearon nuevos códigos de recuperación'],
  subject_code_used: ['A recovery code was used', 'Se usó un código de recuperación'],

  password:          ['The password of your account was changed on {when} (UTC).',
                      'La contraseña de tu cuenta cambió el {when} (UTC).'],
  email:             ['The address of your account was changed from {email} to {to} on {when} (UTC).',
                      'El correo de tu cuenta cambió de {email} a {to} el {when} (UTC).'],
  totp_set:          ['An app for codes was set up for {email} on {when} (UTC). Signing in asks for a code now.',
                      'Se configuró una aplicación de códigos para {email} el {when} (UTC). Desde ahora se pide un ' +
                        'código al iniciar sesión.'],
  totp_removed:      ['The app for codes of {email} was removed on {when} (UTC).',
                      'Se quitó la aplicación de códigos de {email} el {when} (UTC).'],
  passkey_added:     ['The passkey “{name}” was added to {email} on {when} (UTC). It signs in by itself.',
                      'Se añadió la llave de acceso «{name}» a {email} el {when} (UTC). Inicia sesión por sí sola.'],
  passkey_removed:   ['A passkey of {email} was removed on {when} (UTC).',
                      'Se quitó una llave de acceso de {email} el {when} (UTC).'],
  codes_made:        ['Recovery codes for {email} were made on {when} (UTC); those from before do not work any more.',
                      'Se crearon códigos de recuperación para {email} el {when} (UTC); los anteriores ya no sirven.'],
  code_used:         ['A recovery code of {email} was used to sign in on {when} (UTC). {left} are left.',
                      'Se usó un código de recuperación de {email} para entrar el {when} (UTC). Quedan {left}.'],
  was_it_you:        ['If it was you, there is nothing to do. If not, choose a new password now and look at the ' +
                        'sessions and factors of your account:',
                      'Si fuiste tú, no tienes que hacer nada. Si no, elige otra contraseña ahora y revisa las ' +
                        'sesiones y los factores de tu cuenta:'],

  confirm_subject:   ['Confirm your new address', 'Confirma tu nuevo correo'],
  confirm:           ['Somebody wants to use this address for their account at {site}. If it was you, open this link ' +
                        'within 30 minutes:\n\n{link}\n\nIf not, do nothing.',
                      'Alguien quiere usar este correo para su cuenta en {site}. Si fuiste tú, abre este enlace en ' +
                        'los próximos 30 minutos:\n\n{link}\n\nSi no, no hagas nada.'],

  invited_subject:   ['Invitation to {store}', 'Invitación a {store}'],
  invited:           ['You are invited to work on {store}. Open this link within 7 days:\n\n{link}',
                      'Te invitan a trabajar en {store}. Abre este enlace en los próximos 7 días:\n\n{link}'],
} as const satisfies Words

export const letterWords = speaker(words)
