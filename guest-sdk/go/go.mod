module divvy-go

go 1.24
