export const MESSAGE_TEXTS = {
  imagesHidden: 'Images of other machines are not loaded: their senders would learn that the message was looked at.',
  showImages: 'Show images',
}
