import type { UnsubscribeTexts } from './en.ts'

export const es: UnsubscribeTexts = {
  title: 'Sus preferencias de correo',
  address: 'Dirección de correo:',
  topics: '¿Qué desea recibir?',
  save: 'Guardar',
  saved: 'Su elección se ha guardado.',
  everything: '¿No desea recibir nada más?',
  everythingNote: 'Los mensajes sobre sus propias acciones, como un recibo o una contraseña nueva, pueden seguir llegándole.',
  unsubscribe: 'Darse de baja de todo',
  unsubscribed: 'Su baja se ha registrado',
  unsubscribedNote: 'Esta dirección ya no recibe boletines ni otros envíos colectivos.',
  subscribe: 'Volver a suscribirse',
  topicLeft: 'Su baja de este tema se ha registrado',
  topicLeftNote: 'Ya no recibirá correos de este tipo.',
  preferences: 'Elegir lo que recibe',
  badLink: 'Este enlace no funciona',
  badLinkNote: 'Se modificó por el camino o le falta una parte. Ábralo de nuevo desde el correo o cópielo entero.',
  problem: 'No ha funcionado',
  incompleteNote: 'Los datos han llegado incompletos y no se ha cambiado nada. Vuelva atrás e inténtelo de nuevo.',
  busyNote: 'Inténtelo de nuevo dentro de unos minutos.',
  tooManyNote: 'Desde su red han llegado demasiados enlaces que no funcionan. Espere un minuto e inténtelo de nuevo.',
}
