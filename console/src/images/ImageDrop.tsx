import '@mantine/dropzone/styles.css'
import { Box, Button, Group, Text } from '@mantine/core'
import { Dropzone } from '@mantine/dropzone'
import { ImageUp } from 'lucide-react'
import { useRef } from 'react'
import { useAct } from '../api/acts'
import { notifyError } from '../parts/notices'
import { IMAGE_TEXTS as TEXTS } from '../texts/images'
import { IMAGE_BYTES_MAX, IMAGE_TYPES, type StoredImage, storeImage } from './image-files'

/** A place for a file, dropped or chosen, which is stored at once. The API looks at what is in it, whatever its name is. */
export function ImageDrop({ onStored }: { onStored?: (image: StoredImage) => void }) {
  const open = useRef<() => void>(null)
  const store = useAct({
    run: storeImage,
    done: ({ name }) => TEXTS.stored(name),
    changes: ['images'],
  })
  return (
    <Dropzone
      accept={IMAGE_TYPES}
      maxSize={IMAGE_BYTES_MAX}
      multiple={false}
      loading={store.isPending}
      // Not once the dialog around it was closed.
      onDrop={([file]) => file && store.mutate(file, { onSuccess: (image) => onStored?.(image) })}
      onReject={() => notifyError(new Error(TEXTS.noImage))}
      // The button in it is for keys and screen readers.
      activateOnClick={false}
      activateOnKeyboard={false}
      enablePointerEvents
      openRef={open}
      p="md"
    >
      <Group gap="md">
        <Button variant="default" leftSection={<ImageUp size={16} />} onClick={() => open.current?.()}>
          {TEXTS.upload}
        </Button>
        <Box flex="1 1 240px">
          <Text fw={500}>{TEXTS.drop}</Text>
          <Text c="dimmed">{TEXTS.dropHint}</Text>
        </Box>
      </Group>
    </Dropzone>
  )
}
