export const MESSAGE_TEXTS = {
  imagesHidden: 'Images of other machines are not loaded: their senders would learn that the message was looked at.',
  showImages: 'Show images',
}

/** What is written: HTML and text. */
export const CONTENT_TEXTS = {
  html: 'HTML',
  text: 'Text',
  textHint: 'For mail programs that show no HTML. Empty: made from the HTML.',
  preview: 'Preview',
  previewEmpty: 'What you write is shown here.',
}
