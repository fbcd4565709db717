sources <- function() {
  root <- file.path(tempfile(), "demo")
  dir.create(file.path(root, "R"), recursive = TRUE)
  writeLines(c("Package: demo", "Version: 0.1"), file.path(root, "DESCRIPTION"))
  writeLines(c(
    "#' Count things", "#' @param x Integer. How many", "#' @keywords mcp-tool", "mcp_tool_thing_count <- function(x) x",
    "#' Other", "#' @keywords mcp-tool", "mcp_tool_other_one <- function() 1"
  ), file.path(root, "R", "f.R"))
  root
}

test_that("definitions are built, listed and read", {
  skip_if_not(nzchar(Sys.which(Sys.getenv("ROLLTOP_PROGRAM", "rolltop"))), "the program is not installed")
  root <- sources()
  built <- mcptool_build(root, examples = FALSE)
  expect_equal(built$tools, c("demo-mcp_tool_thing_count", "demo-mcp_tool_other_one"))
  expect_true(file.exists(file.path(root, "inst", "mcp", "tools", "demo-mcp_tool_thing_count.yaml")))
  expect_equal(mcptool_list(root, groups = "thing"), "demo-mcp_tool_thing_count")
  expect_setequal(names(mcptool_load_all(root, groups = c("thing", "other"))), built$tools)
  expect_equal(mcptool_load(root, "mcp_tool_thing_count")$parameters$properties$x$type, "integer")
})

test_that("what goes wrong is an error with what the program said", {
  skip_if_not(nzchar(Sys.which(Sys.getenv("ROLLTOP_PROGRAM", "rolltop"))), "the program is not installed")
  expect_error(mcptool_list("./no/such/place"), "there is nothing at")
  old <- options(rolltop.program = "no-such-program")
  on.exit(options(old))
  expect_error(mcptool_list("./x"), "was not found")
})
