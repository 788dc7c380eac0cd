require 'json'
require 'net/http'

email = { from: 'Acme <hello@example.com>', to: 'ada@example.com', subject: 'Hello from Ruby', text: 'It works.' }
headers = { 'Authorization' => "Bearer #{ENV.fetch('POSTHASTE_KEY')}", 'Content-Type' => 'application/json' }
answer = Net::HTTP.post(URI("#{ENV.fetch('POSTHASTE_URL')}/emails"), email.to_json, headers)
sent = JSON.parse(answer.body)
abort sent['message'] unless sent['id']
puts sent['id']
