import { Alert, Button, Group, Loader, Stack, Text } from '@mantine/core'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { answer, api } from '../api/client'
import { Problem } from '../shell/problems'
import { MESSAGE_TEXTS as TEXTS } from '../texts/message'

type MessageFrameProps = {
  html: string
  title: string
  height?: number
  width?: number
  /** Whose images `cid:` stands for. */
  emailId?: string
  receivedEmailId?: string
}

/** The most that the API shows. */
const SHOWN_LENGTH_MAX = 200_000

/**
 * HTML of a mail in a frame in which nothing of it runs: no scripts, no forms, no cookies, and no images of other machines until someone asks for
 * them. The service makes its document, with a policy of its own.
 */
export function MessageFrame({ html, title, height = 480, width, emailId, receivedEmailId }: MessageFrameProps) {
  const [hasImages, setImages] = useState(false)
  const preview = useQuery({
    queryKey: ['previews', html, hasImages, emailId, receivedEmailId],
    queryFn: () =>
      answer(
        api.POST('/previews', {
          body: {
            html: html.slice(0, SHOWN_LENGTH_MAX),
            remote_images: hasImages,
            ...(emailId !== undefined && { email_id: emailId }),
            ...(receivedEmailId !== undefined && { received_email_id: receivedEmailId }),
          },
        }),
      ),
    // Its address works once.
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
    refetchOnWindowFocus: false,
    // While someone types, what was shown stays until the next is there.
    placeholderData: keepPreviousData,
  })
  if (preview.error) return <Problem error={preview.error} onRetry={() => void preview.refetch()} />
  if (!preview.data) return <Loader />
  return (
    <Stack gap="xs">
      {preview.data.has_remote_images && !hasImages && (
        <Alert color="gray">
          <Group justify="space-between">
            {TEXTS.imagesHidden}
            <Button size="xs" variant="default" onClick={() => setImages(true)}>
              {TEXTS.showImages}
            </Button>
          </Group>
        </Alert>
      )}
      <iframe
        key={preview.data.url}
        src={preview.data.url}
        title={title}
        sandbox="allow-popups allow-popups-to-escape-sandbox"
        style={{
          width: width ?? '100%',
          maxWidth: '100%',
          height,
          alignSelf: 'center',
          border: '1px solid var(--mantine-color-default-border)',
          borderRadius: 'var(--mantine-radius-sm)',
          background: '#fff',
        }}
      />
      {(preview.data.is_cut || html.length > SHOWN_LENGTH_MAX) && (
        <Text size="sm" c="dimmed">
          {TEXTS.isCut}
        </Text>
      )}
    </Stack>
  )
}
