export const MESSAGE_TEXTS = {
  imagesHidden: 'Images of other machines are not loaded: their senders would learn that the message was looked at.',
  showImages: 'Show images',
  isCut: 'This is the beginning. The raw message has all of it.',
  views: 'Views of the content',
  html: 'HTML',
  text: 'Text',
  source: 'Source',
  headers: 'Headers',
  widths: 'Width',
  desktop: 'Desktop',
  phone: 'Phone',
  noContent: 'It has no content, or its content is no longer kept.',
}
