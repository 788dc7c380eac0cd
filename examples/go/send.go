package main

import (
	"encoding/json"
	"fmt"
	"log"
	"net/http"
	"os"
	"strings"
)

const email = `{ "from": "Acme <hello@example.com>", "to": "ada@example.com", "subject": "Hello from Go", "text": "It works." }`

func main() {
	request, err := http.NewRequest("POST", os.Getenv("POSTHASTE_URL")+"/emails", strings.NewReader(email))
	if err != nil {
		log.Fatal(err)
	}
	request.Header.Set("Authorization", "Bearer "+os.Getenv("POSTHASTE_KEY"))
	request.Header.Set("Content-Type", "application/json")
	answer, err := http.DefaultClient.Do(request)
	if err != nil {
		log.Fatal(err)
	}
	defer answer.Body.Close()
	var sent struct{ Id, Message string }
	if err := json.NewDecoder(answer.Body).Decode(&sent); err != nil || sent.Id == "" {
		log.Fatal(answer.Status, " ", sent.Message)
	}
	fmt.Println(sent.Id)
}
